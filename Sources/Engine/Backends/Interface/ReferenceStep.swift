import Graph
import Platform

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

  /// Definitions compute in `Double` and `Int64`, on copies of all inputs and outputs.
  package override var temporaryByteCount: Int {
    Self.byteCount(inputs: inputs.map(\.shape), outputs: outputs.map(\.shape))
  }

  /// What a definition takes for inputs and outputs of such shapes, in bytes: two copies of every tensor, and the
  /// lists that say which elements the outputs are made of.
  package static func byteCount(inputs: [Shape], outputs: [Shape]) -> Int {
    (inputs.map { [16, $0.count].product } + outputs.map { [24, $0.count].product }).saturatingSum
  }

  package override func run(_ memory: StepMemory) throws {
    // A kernel that falls back on the definition was not counted with its memory.
    guard SystemMemory.has(temporaryByteCount) else {
      throw EngineError(
        .outOfMemory,
        "\(temporaryByteCount / 1_048_576) MB of memory are needed for outputs of \(outputs.map { "\($0.shape)" }.joined(separator: ", ")), which are not free; use a smaller input."
      )
    }
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
