import Graph
/// An operator that a back end has fast kernels for.
public protocol KernelProvider: Operator {
  /// The fast candidates, best first; the reference stands after the last of them.
  var kernels: [KernelCandidate] { get }
}

extension Operator {
  /// The fast candidates, best first; none where no back end has one.
  public var candidates: [KernelCandidate] { (self as? any KernelProvider)?.kernels ?? [] }

  /// The candidates with the reference after them.
  public var allKernels: [KernelCandidate] {
    candidates + [.reference(of: self)]
  }
}
