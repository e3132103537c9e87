import Backends
import Graph
import Operators

extension SliceOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .moves("native slice") { inputs, outputs in
        let axis: Int = inputs[0].rank + self.axis.rawValue
        var start = [Int](repeating: 0, count: inputs[0].rank)
        var steps = [Int](repeating: 1, count: inputs[0].rank)
        start[axis] = range(inputs[0][axis]).first
        steps[axis] = stride
        return [Move(extents: outputs[0].dimensions, from: start, sourceSteps: steps)]
      }
    ]
  }
}

extension CropOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .moves("native crop") { inputs, outputs in
        let cut: EdgeAmounts = try amounts(for: inputs)
        var start = [Int](repeating: 0, count: inputs[0].rank)
        start[start.count - 2] = cut.top
        start[start.count - 1] = cut.left
        return [Move(extents: outputs[0].dimensions, from: start)]
      }
    ]
  }
}

extension PaddingOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.padding(self)] }
}
