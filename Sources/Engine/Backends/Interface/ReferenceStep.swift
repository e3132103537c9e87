import Graph
/// Runs a layer's reference on dense `float32` memory: the fallback behind every candidate.
package final class ReferenceStep: Step, @unchecked Sendable {
  private let layer: any Operator
  private let inputShapes: [Shape]
  private let outputShapes: [Shape]

  package init(layer: any Operator, inputShapes: [Shape], outputShapes: [Shape]) {
    self.layer = layer
    self.inputShapes = inputShapes
    self.outputShapes = outputShapes
  }

  package override func run(_ memory: StepMemory) throws {
    var inputs: [ReferenceTensor] = []
    for (index, shape) in inputShapes.enumerated() {
      // Safe: the planner gives dense float32 memory of the shape that the kernel asked for.
      let source = memory.inputs[index].assumingMemoryBound(to: Float.self)
      inputs.append(ReferenceTensor(shape, (0..<shape.count).map { Double(source[$0]) }))
    }
    let outputs = try layer.reference(inputs)
    for (index, output) in outputs.enumerated() {
      precondition(
        output.shape.count == outputShapes[index].count,
        "the reference of \(type(of: layer)) breaks its shape promise")
      // Safe: as above, for outputs.
      let target = memory.outputs[index].assumingMemoryBound(to: Float.self)
      for position in 0..<output.values.count { target[position] = Float(output.values[position]) }
    }
  }
}

extension KernelCandidate {
  /// The layer's reference as a kernel; fits always.
  public static func reference(of layer: any Operator) -> KernelCandidate {
    KernelCandidate("reference") { request in
      Kernel(
        ReferenceStep(
          layer: layer, inputShapes: request.inputs.map(\.shape),
          outputShapes: request.outputs.map(\.shape)),
        inputs: request.inputs.map { TensorDescriptor($0.shape) },
        outputs: request.outputs.map { TensorDescriptor($0.shape) })
    }
  }
}
