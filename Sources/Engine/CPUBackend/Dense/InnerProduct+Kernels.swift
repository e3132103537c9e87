import COneDNN
import Operators

extension InnerProductOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .storedProduct(activation.map { .activation($0) }),
      .rowsOnTiles(activation.map { .activation($0) }),
      KernelCandidate("oneDNN matrix product") { [self] (request: KernelRequest) -> Kernel? in
        var operations: [adnn_post_op] = []
        if let activation {
          guard let fused = activation.postOps else {
            return nil
          }
          operations = fused
        }
        return try RowsProduct(request, postOps: operations)?.kernel(request)
      },
    ]
  }
}
