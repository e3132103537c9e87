import Backends
import Graph
import Operators

extension CustomLayer: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("custom layer class") { [self] (request: KernelRequest) -> Kernel? in
        let inputs: [Shape] = request.inputs.map(\.shape)
        let outputs: [Shape] = request.outputs.map(\.shape)
        return Kernel(
          CustomLayerStep(self, inputs: inputs, outputs: outputs),
          inputs: inputs.map { TensorDescriptor($0) }, outputs: outputs.map { TensorDescriptor($0) }
        )
      }
    ]
  }
}

/// Passes a run's memory to the caller's object.
private final class CustomLayerStep: Step, @unchecked Sendable {
  private let layer: CustomLayer
  private let inputs: [Shape]
  private let outputs: [Shape]

  init(_ layer: CustomLayer, inputs: [Shape], outputs: [Shape]) {
    self.layer = layer
    self.inputs = inputs
    self.outputs = outputs
  }

  override var detail: String { layer.className }

  override func run(_ memory: StepMemory) throws {
    // Every run makes these tensors, because a tensor may be in memory that belongs only to the current run.
    let given: [CustomLayerTensor] = views(of: inputs, memory.inputs)
    let made: [CustomLayerTensor] = views(of: outputs, memory.outputs)
    try CustomLayer.wrapping(layer.className) {
      try layer.implementation.evaluate(inputs: given, outputs: made)
    }
  }

  private func views(
    of shapes: [Shape], _ pointers: UnsafePointer<UnsafeMutableRawPointer>
  ) -> [CustomLayerTensor] {
    // Safe: the planner supplies dense float32 memory of these shapes.
    shapes.indices.map { (index: Int) -> CustomLayerTensor in
      CustomLayerTensor(
        shape: shapes[index], data: pointers[index].assumingMemoryBound(to: Float.self))
    }
  }
}
