import Backends
import Graph
import Operators

extension ReverseOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .moves("native reverse") { inputs, _ in
        let extents: [Int] = inputs[0].dimensions
        let starts: [Int] = zip(extents, isReversed).map { $1 ? max($0 - 1, 0) : 0 }
        return [
          Move(extents: extents, from: starts, sourceSteps: isReversed.map { $0 ? -1 : 1 })
        ]
      }
    ]
  }
}
