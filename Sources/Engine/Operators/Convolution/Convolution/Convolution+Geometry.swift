import Graph

extension ConvolutionOperator {
  /// The sizes and paddings of a convolution for one input size.
  ///
  /// For deconvolution `top` and `left` are what is cut off the natural output; the output may reach
  /// beyond the natural size at the bottom and right, and the bias alone stands there.
  package struct Geometry {
    package var top: Int
    package var left: Int
    package var outputHeight: Int
    package var outputWidth: Int

    package init(_ convolution: ConvolutionOperator, height: Int, width: Int) throws {
      let rows = try Side(
        convolution, input: height * convolution.upsampling, kernel: convolution.window.height,
        stride: convolution.stride.height, fixed: convolution.outputShape?.height,
        extra: convolution.outputPadding.height, name: "high"
      ) { padding in
        if case .valid(let top, _, let bottom, _) = padding { return (top, bottom) }
        return nil
      }
      let columns = try Side(
        convolution, input: width * convolution.upsampling, kernel: convolution.window.width,
        stride: convolution.stride.width, fixed: convolution.outputShape?.width,
        extra: convolution.outputPadding.width, name: "wide"
      ) { padding in
        if case .valid(_, let left, _, let right) = padding { return (left, right) }
        return nil
      }
      (top, outputHeight) = (rows.before, rows.output)
      (left, outputWidth) = (columns.before, columns.output)
    }
  }

  /// One direction of a convolution.
  private struct Side {
    var before: Int
    var output: Int

    init(
      _ convolution: ConvolutionOperator, input: Int, kernel: Int, stride: Int, fixed: Int?,
      extra: Int,
      name: String,
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
            "the input is \(padded) pixels \(name) with its padding, smaller than the kernel's \(kernel); use a larger picture."
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
          "the output would be \(output) pixels \(name); use a larger picture.")
      }
    }

    /// The part of *same* padding that stands in front.
    private static func leading(_ total: Int, _ padding: Padding) -> Int {
      padding == .same(topLeftHeavy: true) ? (total + 1) / 2 : total / 2
    }
  }
}
