// The callbacks that the bridge registers with the pass registry.
#pragma once

#include <string>

#include "ge_passes_api.h"

namespace ge::bridge {

// What the registry hands back as `user`; deleted by the drop callback.
struct Registration {
  std::string key;
};

// Callbacks of a pass of that kind (ge_passes_kind). The registration is the registry's once it accepted them.
ge_passes_callbacks make_callbacks(std::uint32_t kind, Registration* registration);

}  // namespace ge::bridge
