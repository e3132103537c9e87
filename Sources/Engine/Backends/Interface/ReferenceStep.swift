import Graph
import Platform

/// Runs an operator's reference implementation on dense memory with the graph's element types. The planner uses this
/// step if no other candidate fits.
package final class ReferenceStep: Step, @unchecked Sendable {
  private let layer: any Operator
  private let inputs: [TensorDescriptor]
  private let outputs: [TensorType]

  package init(layer: any Operator, inputs: [TensorDescriptor], outputs: [TensorType]) {
    self.layer = layer
    self.inputs = inputs
    self.outputs = outputs
  }

  /// Reference implementations compute in `Double` and `Int64`, on copies of all inputs and outputs.
  package override var temporaryByteCount: Int {
    Self.byteCount(inputs: inputs.map(\.shape), outputs: outputs.map(\.shape))
  }

  /// Returns the memory that a reference implementation needs for inputs and outputs of these shapes, in bytes: two
  /// copies of every tensor, and for each output element the index of its source.
  package static func byteCount(inputs: [Shape], outputs: [Shape]) -> Int {
    (inputs.map { [16, $0.count].product } + outputs.map { [24, $0.count].product }).saturatingSum
  }

  package override func run(_ memory: StepMemory) throws {
    // If a kernel falls back to the reference implementation, the memory budget has not counted this memory.
    guard SystemMemory.has(temporaryByteCount) else {
      throw EngineError(
        .outOfMemory,
        "Outputs of \(outputs.map { "\($0.shape)" }.joined(separator: ", ")) need \(temporaryByteCount / 1_048_576) MB of memory, more than is free; use a smaller input."
      )
    }
    // Safe: the planner supplies memory in the forms of the kernel.
    let given: [ReferenceTensor] = inputs.enumerated().map { index, form in
      TensorCodec.unpack(memory.inputs[index], as: form)
    }
    let made = try layer.define(given, types: outputs)
    for (index, tensor) in made.enumerated() {
      precondition(
        tensor.shape.count == outputs[index].shape.count,
        "the definition of \(type(of: layer)) does not match its type rule")
      TensorCodec.pack(
        tensor, as: TensorDescriptor(outputs[index].shape, outputs[index].element),
        into: memory.outputs[index])
    }
  }
}

extension KernelCandidate {
  /// Returns the operator's reference implementation as a kernel candidate, which always fits.
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
