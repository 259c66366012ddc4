// All a plugin author includes.
#pragma once

#include <refran/array.h>
#include <refran/config.h>
#include <refran/error.h>
#include <refran/experiment.h>
#include <refran/math.h>
#include <refran/output.h>
#include <refran/random.h>
#include <refran/run.h>
