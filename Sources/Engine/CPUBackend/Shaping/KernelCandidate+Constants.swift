import Backends
import Graph
import Operators

extension KernelCandidate {
  /// Values that do not depend on the inputs' values, made once and copied out: dense `float32`.
  /// Inputs are taken in whatever form they have.
  /// Types of inputs that are not read do not matter.
  package static func constant(
    _ values: @escaping @Sendable (KernelRequest) throws -> [Float]?
  ) -> KernelCandidate {
    KernelCandidate("constant", elements: .all) { request in
      guard let values = try values(request) else { return nil }
      return Kernel(
        try ConstantStep(values), inputs: request.inputs,
        outputs: [TensorDescriptor(request.outputs[0].shape)])
    }
  }

  /// One value everywhere: dense `float32`.
  package static func filled(_ value: Float) -> KernelCandidate {
    KernelCandidate("native fill", elements: .all) { request in
      let form = TensorDescriptor(request.outputs[0].shape)
      let fill = FillCopy(value, form: form)
      return Kernel(
        ClosureStep { memory in fill.run(memory) }, inputs: request.inputs, outputs: [form])
    }
  }
}

/// Copies values that it owns into the output.
package final class ConstantStep: Step, @unchecked Sendable {
  private let values: AlignedBuffer

  package init(_ values: [Float]) throws { self.values = try AlignedBuffer(values) }

  package override var constantByteCount: Int { values.byteCount }

  package override func run(_ memory: StepMemory) throws {
    // Safe: the output holds as many float32 as were given.
    memory.outputs[0].copyMemory(from: values.pointer, byteCount: values.byteCount)
  }
}
