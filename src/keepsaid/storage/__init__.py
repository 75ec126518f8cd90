"""Storage backends: one package for each, all implementing `ports.Storage`."""
