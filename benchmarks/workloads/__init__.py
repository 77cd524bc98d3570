"""One file for each workload; ``contract.ALL`` names them."""
