import Backends
import Graph
import Operators

extension UpsampleOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    switch mode {
    case .bilinear(let grid): return [.bilinear(grid: grid)]
    case .nearest: return [.nearest(rows: Int(heightFactor), columns: Int(widthFactor))]
    }
  }
}

extension ResizeBilinearOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.bilinear(grid: grid)] }
}
