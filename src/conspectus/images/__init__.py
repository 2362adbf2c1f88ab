"""Collections of images of any kind: micrographs, diffraction images, photographs."""
