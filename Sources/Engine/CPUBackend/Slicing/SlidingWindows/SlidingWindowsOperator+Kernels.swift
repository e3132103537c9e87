import Backends
import Graph
import Operators

extension SlidingWindowsOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .moves("native sliding windows") { inputs, outputs in
        let axis: Int = try inputs[0].axis(axis)
        let dimensions: [Move.Dimension] = (0..<outputs[0].rank).map { target in
          let source: Int = target > axis ? target - 1 : target
          return Move.Dimension(
            extent: outputs[0][target], sourceAxis: source,
            sourceStep: target == axis ? step : 1, targetAxis: target)
        }
        return [
          Move(
            sourceRank: inputs[0].rank, targetRank: outputs[0].rank, dimensions: dimensions)
        ]
      }
    ]
  }
}
