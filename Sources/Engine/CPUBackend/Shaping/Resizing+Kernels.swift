import Backends
import Graph
import Operators

extension UpsampleOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    switch mode {
    case .bilinear(let grid): return [.bilinear(grid: grid)]
    case .nearest where hasIntegerFactors:
      return [.nearest(rows: Int(heightFactor), columns: Int(widthFactor))]
    case .nearest: return [.nearest(.upsample) { _ in 2 }]
    }
  }
}

extension ResizeBilinearOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.bilinear(grid: grid)] }
}
