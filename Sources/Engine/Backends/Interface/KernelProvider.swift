import Graph
/// An operator for which a back end has fast kernels.
public protocol KernelProvider: Operator {
  /// The fast candidates, the preferred one first. The planner tries the reference implementation after these
  /// candidates.
  var kernels: [KernelCandidate] { get }
}

extension Operator {
  /// The fast candidates, the preferred one first; empty if no back end has kernels for the operator.
  public var candidates: [KernelCandidate] { (self as? any KernelProvider)?.kernels ?? [] }

  /// The fast candidates, then the reference implementation.
  public var allKernels: [KernelCandidate] {
    candidates + [.reference(of: self)]
  }
}
