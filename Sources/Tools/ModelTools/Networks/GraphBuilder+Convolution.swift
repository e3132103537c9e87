import Engine
import Operators

extension GraphBuilder {
  /// Adds a convolution with a bias, and a ReLU named `rectifier`. Returns the ReLU's output.
  ///
  /// - Parameters:
  ///   - kernel: The weights: height × width × input channels × output channels, as in TensorFlow and JAX.
  ///   - padding: The number of zeros to pad on each side.
  func addConvolution(
    _ name: String, kernel: NumericArray, bias: NumericArray, stride: Int = 1, padding: Int = 0,
    rectifier: String, reading input: Graph.ValueID
  ) throws -> Graph.ValueID {
    guard kernel.shape.count == 4, bias.shape == [kernel.shape[3]] else {
      throw ModelToolsError(
        .badWeights,
        "Convolution '\(name)': the kernel has the extents \(kernel.shape) and the bias"
          + " \(bias.shape), expected [height, width, in, out] and [out].")
    }
    let convolution = ConvolutionOperator(
      outputChannels: kernel.shape[3], kernelChannels: kernel.shape[2],
      kernel: ConvolutionOperator.Pair(kernel.shape[0], kernel.shape[1]),
      stride: ConvolutionOperator.Pair(stride, stride),
      padding: .valid(top: padding, left: padding, bottom: padding, right: padding),
      hasBias: true)
    let weights: Graph.ValueID = addConstant(
      Constant(convolution.weightShape, kernel.floats(axes: [3, 2, 0, 1])), name: "\(name)/weights")
    let shifts: Graph.ValueID = addConstant(
      Constant([kernel.shape[3]], bias.floats()), name: "\(name)/bias")
    let sums: Graph.ValueID = try add(convolution, input, weights, shifts, name: name)
    return try add(ActivationOperator(.reLU), sums, name: rectifier)
  }
}
