import Backends
import Graph
import Operators

extension ConstantPadOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native constant padding") { request in
        guard let amounts = self.amounts ?? request.integers(1) else { return nil }
        return try KernelCandidate.moves("native constant padding", fill: value) { inputs, _ in
          let starts: [Int] = try paddings(inputs[0], amounts).map(\.before)
          return [Move(extents: inputs[0].dimensions, to: starts)]
        }.make(request)
      }
    ]
  }
}
