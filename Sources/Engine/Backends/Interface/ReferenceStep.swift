import Graph
/// Runs an operator's definition on dense memory of the graph's own element types: the fallback after every
/// candidate.
package final class ReferenceStep: Step, @unchecked Sendable {
  private let layer: any Operator
  private let inputs: [TensorDescriptor]
  private let outputs: [TensorType]

  package init(layer: any Operator, inputs: [TensorDescriptor], outputs: [TensorType]) {
    self.layer = layer
    self.inputs = inputs
    self.outputs = outputs
  }

  package override func run(_ memory: StepMemory) throws {
    // Safe: the planner gives memory of the forms that the kernel asked for.
    let given: [ReferenceTensor] = inputs.enumerated().map { index, form in
      TensorCodec.unpack(memory.inputs[index], as: form)
    }
    let made = try layer.define(given, types: outputs)
    for (index, tensor) in made.enumerated() {
      precondition(
        tensor.shape.count == outputs[index].shape.count,
        "the reference of \(type(of: layer)) breaks its shape promise")
      TensorCodec.pack(
        tensor, as: TensorDescriptor(outputs[index].shape, outputs[index].element),
        into: memory.outputs[index])
    }
  }
}

extension KernelCandidate {
  /// The operator's definition as a kernel; fits always.
  public static func reference(of layer: any Operator) -> KernelCandidate {
    KernelCandidate("reference", elements: .all) { request in
      let inputs: [TensorDescriptor] = request.inputs.map {
        TensorDescriptor($0.shape, $0.storage == .bfloat16 ? .float32 : $0.storage)
      }
      return Kernel(
        ReferenceStep(layer: layer, inputs: inputs, outputs: request.outputs), inputs: inputs,
        outputs: request.outputs.map { TensorDescriptor($0.shape, $0.element) })
    }
  }
}
