import Backends
import Graph
import Operators

extension FillStaticOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.filled(value)] }
}

extension FillLikeOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.filled(value)] }
}

extension FillDynamicOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.filled(value)] }
}

extension RangeStaticOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [.constant { _ in try range().values.values.map(Float.init) }]
  }
}

extension RangeDynamicOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .integerRange(from: start.integerValue, step: step.integerValue),
      KernelCandidate("native range") { request in
        let inputs: [TensorDescriptor] = request.inputs.map { TensorDescriptor($0.shape) }
        let output = TensorDescriptor(request.outputs[0].shape)
        guard inputs.allSatisfy({ $0.shape.count == 1 }) else { return nil }
        let (given, count) = (inputs.count, output.shape.count)
        let step = ClosureStep { memory in
          // Safe: the planner supplies memory in the kernel's forms.
          func number(_ input: Int, _ missing: Float) -> Double {
            guard input < given else { return Double(missing) }
            return Double(memory.inputs[input].assumingMemoryBound(to: Float.self)[0])
          }
          let (first, distance) = (number(1, start), number(2, self.step))
          let target = memory.outputs[0].assumingMemoryBound(to: Float.self)
          for position in 0..<count {
            target[position] = Float(first + Double(position) * distance)
          }
        }
        return Kernel(step, inputs: inputs, outputs: [output])
      },
    ]
  }
}

extension KernelCandidate {
  /// Returns the candidate for an int32 range. The range starts at the second input, or at `start` if there is no
  /// second input. The step is the third input, or `step` if there is no third input.
  fileprivate static func integerRange(from start: Int64?, step: Int64?) -> KernelCandidate {
    KernelCandidate("native integer range", elements: [.int32]) { request in
      let inputs: [TensorDescriptor] = request.inputs.indices.map(request.dense)
      let output = TensorDescriptor(request.outputs[0].shape, .int32)
      let (given, count) = (inputs.count, output.shape.count)
      guard inputs.allSatisfy({ $0.shape.count == 1 }),
        let start = given > 1 ? 0 : start.flatMap(Int32.init(exactly:)),
        let step = given > 2 ? 0 : step.flatMap(Int32.init(exactly:))
      else { return nil }
      let body = ClosureStep { memory in
        // Safe: the planner supplies memory in the kernel's forms.
        var value: Int32 = given > 1 ? memory.inputs[1].load(as: Int32.self) : start
        let distance: Int32 = given > 2 ? memory.inputs[2].load(as: Int32.self) : step
        let target = memory.outputs[0].assumingMemoryBound(to: Int32.self)
        for position in 0..<count {
          target[position] = value
          value &+= distance
        }
      }
      return Kernel(body, inputs: inputs, outputs: [output])
    }
  }
}

extension GetShapeOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [.constant { request in request.inputs[0].shape.dimensions.map(Float.init) }]
  }
}

extension ConstantOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.view] }
}
