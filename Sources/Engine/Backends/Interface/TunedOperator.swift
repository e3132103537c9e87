import Graph

/// An operator whose kernels are chosen by their times where several fit, rather than in a fixed order.
///
/// All its candidates keep one numeric contract for one ``KernelRequest``: whichever is taken, the result is
/// as near to the definition as the request's precision allows. They may differ in the last bits.
public protocol TunedOperator: KernelProvider {
  /// Names all parameters that the times of kernels depend on, beside the types of inputs: operators with the
  /// same key share what was measured.
  var tuningKey: String { get }

  /// Whether producers keep the inputs as pictures, channels last, in the precision's type; else they are dense.
  var readsPictures: Bool { get }

  /// The products that the definition makes.
  func productCount(_ inputs: [TensorType], _ outputs: [TensorType]) -> Double

  /// The operator and its inputs with about a share of the rows, on which kernels take about that share of
  /// the time; nil where all of it is to be timed.
  func reduced(_ inputs: [TensorType], share: Double) throws -> (
    operation: any TunedOperator, inputs: [TensorType]
  )?
}
