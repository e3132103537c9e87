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
      KernelCandidate("native range") { request in
        let inputs: [TensorDescriptor] = request.inputs.map { TensorDescriptor($0.shape) }
        let output = TensorDescriptor(request.outputs[0].shape)
        guard inputs.allSatisfy({ $0.shape.count == 1 }) else { return nil }
        let (given, count) = (inputs.count, output.shape.count)
        let step = ClosureStep { memory in
          // Safe: the planner gives memory of these forms.
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
      }
    ]
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
