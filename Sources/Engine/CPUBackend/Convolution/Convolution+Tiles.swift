import Backends
import CKernels
import Graph
import Operators

extension FusedConvolution {
  public var kernels: [KernelCandidate] {
    let tiles = KernelCandidate("convolution on matrix tiles") { request in
      guard let tiles = request.ownTiles,
        request.precision == .bfloat16 || isWorthPairing(request)
      else { return nil }
      return try directKernel(request, tiles: tiles)
    }
    let products: [KernelCandidate] = core.kernel == Pair(1, 1) ? [dynamicKernel] : []
    var all: [KernelCandidate] =
      products + (fillsTiles ? [tiles] + vectorKernels : vectorKernels + [tiles])
    if let inputNorm, let normInputs {
      var plain: FusedConvolution = self
      (plain.inputNorm, plain.takesStatistics) = (nil, false)
      all = zip(all, plain.kernels).map { candidate, plain in
        candidate.orAfter(inputNorm, normInputs, plain) { request in
          // The fallback applies the norm in place. If other nodes read the input, too, the plan must first copy the
          // input. The copy costs more than any kernel saves, so the fallback is then used only if no direct kernel
          // fits.
          try !sharesInput || directKernel(request) == nil
        }
      }
    }
    return takesStatistics ? all.map(\.withStatistics) : all
  }

  /// Whether float32 values are multiplied as pairs of `bfloat16` values on tiles. Weights that change are not: packing
  /// their pairs at every run takes too long.
  private func isWorthPairing(_ request: KernelRequest) -> Bool {
    guard request.precision == .bfloat16Pairs, request.constant(1) != nil, core.groups == 1
    else { return false }
    let products: Int = core.inputChannels * core.kernel.height * core.kernel.width
    return request.processor.emulatesMatrixTiles
      || request.outputs[0].shape.count * products >= Self.leastPairedMultiplyAdds
  }

  /// The least number of multiply-adds of a convolution whose values are multiplied as pairs.
  private static let leastPairedMultiplyAdds: Int = 1 << 22

  /// Whether at least a quarter of the multiply-adds on tiles are useful. The rest multiply zeros, because kernel rows
  /// are padded to multiples of 32 values, and outputs to multiples of 16. If a quarter or more is useful, our kernel
  /// was 1.1 to 1.7 times as fast as oneDNN's on tiles (measured), and 3 times as fast with few outputs. If less is
  /// useful, oneDNN's kernels come before our kernel.
  private var fillsTiles: Bool {
    let outputs: Int =
      core.outputChannels <= 8 && !core.isDeconvolution
      ? core.outputChannels * core.kernel.width : core.outputChannels
    let values: Int =
      outputs == core.outputChannels && core.dilation.width == 1
      ? core.inputChannels * core.kernel.width : core.inputChannels
    return Double(values * outputs)
      >= Double(values.roundedUp(to: 32) * outputs.roundedUp(to: 16)) / 4
  }
}

extension KernelRequest {
  /// The value of `ck_convolution.matrix_tiles` for our kernels. Nil if our kernels do not run on matrix tiles.
  var ownTiles: Int32? {
    if processor.emulatesMatrixTiles { return 2 }
    return processor.hasMatrixTiles && ck_has_matrix_tiles() != 0 ? 1 : nil
  }
}

extension Int {
  fileprivate func roundedUp(to step: Int) -> Int { (self + step - 1) / step * step }
}
