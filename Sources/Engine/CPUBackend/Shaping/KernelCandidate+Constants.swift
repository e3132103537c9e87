import Backends
import Graph
import Operators

extension KernelCandidate {
  /// Returns a candidate for values that depend only on the inputs' shapes. The values are computed once and copied to
  /// the output, which is dense `float32`. Inputs are accepted in any form and type, because they are not read.
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

  /// Returns a candidate that writes one value to all elements of an output, which is dense `float32`.
  package static func filled(_ value: Float) -> KernelCandidate {
    KernelCandidate("native fill", elements: .all) { request in
      let form = TensorDescriptor(request.outputs[0].shape)
      let fill = FillCopy(value, form: form)
      return Kernel(
        ClosureStep { memory in fill.run(memory) }, inputs: request.inputs, outputs: [form])
    }
  }
}

/// Copies its own values to the output.
package final class ConstantStep: Step, @unchecked Sendable {
  private let values: AlignedBuffer

  package init(_ values: [Float]) throws { self.values = try AlignedBuffer(values) }

  package override var constantByteCount: Int { values.byteCount }

  package override func run(_ memory: StepMemory) throws {
    // Safe: the output holds as many float32 as there are values.
    memory.outputs[0].copyMemory(from: values.pointer, byteCount: values.byteCount)
  }
}
