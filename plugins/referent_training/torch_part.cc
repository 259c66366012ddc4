// The second library: all of the plugin that links torch.
#include <referent_torch/torch_model.h>

#include <refran/plugin.h>

REFRAN_PART(refran::referent::kTorchTraining)
