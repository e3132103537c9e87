import Graph

extension ConvolutionOperator {
  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let source = inputs[0]
    let input = try FeatureMap(source.shape)
    let geometry = try Geometry(self, height: input.height, width: input.width)
    let weights = inputs[1].values
    let bias = biasInput.map { inputs[$0].values }
    var shape = source.shape
    shape[-3] = outputChannels
    shape[-2] = geometry.outputHeight
    shape[-1] = geometry.outputWidth
    var result = ReferenceTensor(shape)
    let output = try FeatureMap(shape)
    for sample in 0..<output.batch {
      for channel in 0..<output.channels {
        for y in 0..<output.height {
          for x in 0..<output.width {
            let sum = windowSum(
              source.values, input, weights, sample: sample, channel: channel,
              y: y + geometry.top * (isDeconvolution ? 1 : 0),
              x: x + geometry.left * (isDeconvolution ? 1 : 0), geometry)
            result.values[output.offset(sample, channel, y, x)] = sum + (bias?[channel] ?? 0)
          }
        }
      }
    }
    return [result]
  }

  /// Computes one output element without its bias: the sum of weight times pixel over the kernel elements and input
  /// channels. For deconvolution `y` and `x` count from the top left corner of the natural output.
  private func windowSum(
    _ source: [Double], _ input: FeatureMap, _ weights: [Double], sample: Int, channel: Int,
    y: Int, x: Int, _ geometry: Geometry
  ) -> Double {
    let groupOutputs: Int = outputChannels / groups
    let group: Int = channel / groupOutputs
    let groupInputs: Int = inputChannels / groups
    var sum = 0.0
    for ky in 0..<kernel.height {
      guard
        let inputY = sourceIndex(y, ky, stride.height, dilation.height, geometry.top, input.height)
      else { continue }
      for kx in 0..<kernel.width {
        guard
          let inputX = sourceIndex(x, kx, stride.width, dilation.width, geometry.left, input.width)
        else { continue }
        for i in 0..<groupInputs {
          let inputChannel: Int = group * groupInputs + i
          let row: Int =
            isDeconvolution
            ? inputChannel * groupOutputs + channel % groupOutputs : channel * groupInputs + i
          let weight: Double = weights[(row * kernel.height + ky) * kernel.width + kx]
          sum += weight * source[input.offset(sample, inputChannel, inputY, inputX)]
        }
      }
    }
    return sum
  }

  /// Returns the input row that a kernel element multiplies for one output row, or likewise for columns. Nil if the
  /// kernel element multiplies no input pixel.
  private func sourceIndex(
    _ output: Int, _ element: Int, _ stride: Int, _ dilation: Int, _ before: Int, _ extent: Int
  ) -> Int? {
    if isDeconvolution {
      let distance: Int = output - element * dilation
      guard distance >= 0, distance % stride == 0, distance / stride < extent else { return nil }
      return distance / stride
    }
    let position: Int = output * stride + element * dilation - before
    return position >= 0 && position < extent ? position : nil
  }
}
