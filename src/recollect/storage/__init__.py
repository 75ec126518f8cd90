"""Where conversations are kept: one module per backend, all behind `ports.Storage`."""
