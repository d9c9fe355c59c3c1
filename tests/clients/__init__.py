"""Real coding agents, played by scripted models on loopback (`make test-clients`)."""
