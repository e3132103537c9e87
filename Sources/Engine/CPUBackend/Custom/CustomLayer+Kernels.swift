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

/// Hands the session's memory to the caller's object.
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

  /// The views of one session's memory, whose pointers stay the same as long as it lives.
  private final class Views {
    var inputs: [CustomLayerTensor] = []
    var outputs: [CustomLayerTensor] = []
    var isFilled = false
  }

  override func makeState() throws -> AnyObject? { Views() }

  override func run(_ memory: StepMemory) throws {
    guard let state = memory.state else { preconditionFailure("a session keeps its state") }
    // Safe: the state is what makeState() returned.
    let held = unsafeDowncast(state, to: Views.self)
    if !held.isFilled {
      held.inputs = views(of: inputs, memory.inputs)
      held.outputs = views(of: outputs, memory.outputs)
      held.isFilled = true
    }
    try CustomLayer.wrapping(layer.className) {
      try layer.implementation.evaluate(inputs: held.inputs, outputs: held.outputs)
    }
  }

  private func views(
    of shapes: [Shape], _ pointers: UnsafePointer<UnsafeMutableRawPointer>
  ) -> [CustomLayerTensor] {
    // Safe: the planner gives dense float32 memory of these shapes.
    shapes.indices.map { (index: Int) -> CustomLayerTensor in
      CustomLayerTensor(
        shape: shapes[index], data: pointers[index].assumingMemoryBound(to: Float.self))
    }
  }
}
