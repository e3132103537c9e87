import Graph

/// An operator for which the planner times the kernels and uses the fastest, if several kernels fit.
///
/// For one ``KernelRequest`` all candidates are equally accurate: their results are as close to the result of the
/// reference implementation as the request's precision allows. The last bits of the result may differ between
/// candidates.
public protocol TunedOperator: KernelProvider {
  /// Text that states all parameters on which the times depend, except the types of the inputs. Operators with the same
  /// key share measurements.
  var tuningKey: String { get }

  /// Whether kernels are timed with inputs that are channels-last images, in the type of the request's precision. If
  /// false, kernels are timed with dense inputs.
  var readsPictures: Bool { get }

  /// Returns the number of multiply-adds of the reference implementation.
  func multiplyAddCount(_ inputs: [TensorType], _ outputs: [TensorType]) -> Double

  /// Returns a smaller problem for timing: an operator and inputs with about `share` of the rows of the first input.
  /// The smaller problem takes about `share` of the time. Nil if all rows must be timed.
  func reduced(_ inputs: [TensorType], share: Double) throws -> (
    operation: any TunedOperator, inputs: [TensorType]
  )?
}
