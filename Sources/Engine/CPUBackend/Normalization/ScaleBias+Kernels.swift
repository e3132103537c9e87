import Backends
import CPointwise
import Graph
import Operators

extension ScaleOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native scale and shift") { [self] (request: KernelRequest) -> Kernel? in
        var program = PointwiseProgram(inputCount: request.inputs.count)
        let product: Int = program.append(CPW_MULTIPLY, 0, 1)
        if hasBias { program.append(CPW_ADD, product, 2) }
        return try program.kernel(for: request)
      }
    ]
  }
}

extension BiasOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native shift") { (request: KernelRequest) -> Kernel? in
        var program = PointwiseProgram(inputCount: 2)
        program.append(CPW_ADD, 0, 1)
        return try program.kernel(for: request)
      }
    ]
  }
}
