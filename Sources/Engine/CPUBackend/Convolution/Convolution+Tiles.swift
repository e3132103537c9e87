import Backends
import CKernels
import Graph
import Operators

extension ConvolutionOperator {
  public var kernels: [KernelCandidate] {
    let tiles = KernelCandidate("convolution on matrix tiles") { request in
      guard request.precision == .bfloat16, let tiles = request.ownTiles else { return nil }
      return try directKernel(request, tiles: tiles)
    }
    var all: [KernelCandidate] = fillsTiles ? [tiles] + vectorKernels : vectorKernels + [tiles]
    if let inputNorm, let normInputs {
      var plain: ConvolutionOperator = self
      (plain.inputNorm, plain.takesStatistics) = (nil, false)
      all = zip(all, plain.kernels).map { candidate, plain in
        candidate.orAfter(inputNorm, normInputs, plain) { request in
          // A copy of the input costs more than any kernel gains.
          try !sharesInput || directKernel(request) == nil
        }
      }
    }
    return takesStatistics ? all.map(\.withStatistics) : all
  }

  /// Whether at least a quarter of what tiles multiply is of use; the rest are zeros after a window's last
  /// values, in steps of 32, and after the last output, in steps of 16. There our kernel was 1.1 to 1.7 times
  /// as fast as oneDNN's on tiles, and 3 times with few outputs, in prototypes (../shared/bench/AMX-kernels.md);
  /// below, oneDNN's stand before it.
  private var fillsTiles: Bool {
    let outputs: Int =
      outputChannels <= 8 && !isDeconvolution ? outputChannels * kernel.width : outputChannels
    let values: Int =
      outputs == outputChannels && dilation.width == 1
      ? inputChannels * kernel.width : inputChannels
    return Double(values * outputs)
      >= Double(values.roundedUp(to: 32) * outputs.roundedUp(to: 16)) / 4
  }
}

extension KernelRequest {
  /// How our kernels get matrix tiles, as `ck_convolution.tiles` counts; nil where they get none.
  var ownTiles: Int32? {
    if processor.actsMatrixTiles { return 2 }
    return processor.hasMatrixTiles && ck_tiles() != 0 ? 1 : nil
  }
}

extension Int {
  fileprivate func roundedUp(to step: Int) -> Int { (self + step - 1) / step * step }
}
