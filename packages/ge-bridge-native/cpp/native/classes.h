// The classes of the extension, each bound in its own file.
#pragma once

#include "native/state.h"

namespace ge::native {

void bind_graph(nb::module_& module);
void bind_node(nb::module_& module);
void bind_tensor(nb::module_& module);
void bind_match(nb::module_& module);

}  // namespace ge::native
