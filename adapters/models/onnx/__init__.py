"""Models as ONNX graphs, run on the processor by onnxruntime."""
