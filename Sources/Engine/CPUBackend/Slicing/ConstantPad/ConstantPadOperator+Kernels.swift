import Backends
import Graph
import Operators

extension ConstantPadOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    guard let amounts else { return [] }
    return [
      .moves("native constant padding", fill: value) { inputs, _ in
        let starts: [Int] = try borders(inputs[0], amounts).map(\.before)
        return [Move(extents: inputs[0].dimensions, to: starts)]
      }
    ]
  }
}
