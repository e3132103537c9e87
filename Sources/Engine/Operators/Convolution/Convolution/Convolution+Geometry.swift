import Graph

extension ConvolutionOperator {
  /// The output size and the padding, in pixels, of a convolution for one input size.
  ///
  /// The natural output of a deconvolution contains every pixel to which an input pixel contributes. For a
  /// deconvolution, `top` is the number of rows that are cut off at the top of the natural output, and `left` the
  /// number of columns that are cut off at its left. At the bottom and right the output may extend beyond the natural
  /// output. The pixels there hold the bias alone.
  package struct Geometry {
    /// The padding above the image.
    package var top: Int
    /// The padding to the left of the image.
    package var left: Int
    /// The number of rows of the output.
    package var outputHeight: Int
    /// The number of columns of the output.
    package var outputWidth: Int

    package init(_ convolution: ConvolutionOperator, height: Int, width: Int) throws {
      let rows = try AxisGeometry(
        convolution, input: height, kernel: convolution.window.height,
        stride: convolution.stride.height, fixed: convolution.outputShape?.height,
        extra: convolution.outputPadding.height, direction: "high"
      ) { padding in
        if case .valid(let top, _, let bottom, _) = padding { return (top, bottom) }
        return nil
      }
      let columns = try AxisGeometry(
        convolution, input: width, kernel: convolution.window.width,
        stride: convolution.stride.width, fixed: convolution.outputShape?.width,
        extra: convolution.outputPadding.width, direction: "wide"
      ) { padding in
        if case .valid(_, let left, _, let right) = padding { return (left, right) }
        return nil
      }
      (top, outputHeight) = (rows.before, rows.output)
      (left, outputWidth) = (columns.before, columns.output)
    }
  }

  /// The padding before the first pixel and the output size along one axis, in pixels.
  private struct AxisGeometry {
    var before: Int
    var output: Int

    init(
      _ convolution: ConvolutionOperator, input: Int, kernel: Int, stride: Int, fixed: Int?,
      extra: Int,
      direction: String,
      amounts: (Padding) -> (before: Int, after: Int)?
    ) throws {
      let explicit = amounts(convolution.padding)
      if convolution.isDeconvolution {
        let natural: Int = (input - 1) * stride + kernel
        if let explicit {
          before = explicit.before
          output = fixed ?? natural - explicit.before - explicit.after + extra
        } else {
          output = fixed ?? input * stride + extra
          before = Self.leading(max(0, natural - output), convolution.padding)
        }
      } else if let explicit {
        let padded: Int = input + explicit.before + explicit.after
        guard padded >= kernel else {
          throw EngineError(
            .invalidInput,
            "the input is \(padded) pixels \(direction) with its padding, smaller than the kernel's \(kernel); use a larger picture."
          )
        }
        before = explicit.before
        output = (padded - kernel) / stride + 1
      } else {
        output = (input + stride - 1) / stride
        before = Self.leading(max(0, (output - 1) * stride + kernel - input), convolution.padding)
      }
      guard output > 0 else {
        throw EngineError(
          .invalidInput,
          "the output would be \(output) pixels \(direction); use a larger picture.")
      }
    }

    /// Returns how many of the `total` pixels of *same* padding come before the first pixel.
    private static func leading(_ total: Int, _ padding: Padding) -> Int {
      padding == .same(topLeftHeavy: true) ? (total + 1) / 2 : total / 2
    }
  }
}
