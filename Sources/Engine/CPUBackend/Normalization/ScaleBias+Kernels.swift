import Backends
import Graph
import Operators

extension ScaleOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native scale and shift") { [self] (request: KernelRequest) -> Kernel? in
        var program = PointwiseProgram(inputCount: request.inputs.count)
        let product: Int = program.append(.multiply, 0, 1)
        if hasBias { program.append(.add, product, 2) }
        return try program.kernel(for: request)
      }
    ]
  }
}

extension BiasOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native bias") { (request: KernelRequest) -> Kernel? in
        var program = PointwiseProgram(inputCount: 2)
        program.append(.add, 0, 1)
        return try program.kernel(for: request)
      }
    ]
  }
}
