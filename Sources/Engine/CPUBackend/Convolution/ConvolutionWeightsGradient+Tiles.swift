import Backends
import CKernels
import Graph
import Operators

extension ConvolutionWeightsGradientOperator {
  /// Makes our kernel for bfloat16, on the processor's matrix tiles or on emulated tiles.
  func tileKernel(_ request: KernelRequest) -> Kernel? {
    guard request.precision == .bfloat16, groups == 1, let tiles = request.ownTiles else {
      return nil
    }
    let forms: [TensorDescriptor] = forms(request)
    let large = FeatureMap(ofRankThreeOrMore: forms[0].shape)
    let small = FeatureMap(ofRankThreeOrMore: forms[1].shape)
    guard large.fitsLibraries, small.fitsLibraries, fillsTiles(large, small) else { return nil }
    var description = ck_tile_weights_gradient()
    description.set(
      input: large, output: small,
      kernel: ConvolutionOperator.Pair(weightShape[2], weightShape[3]), stride: stride,
      dilation: dilation, top: Int64(top), left: Int64(left))
    description.matrix_tiles = tiles
    description.threads = Int32(request.threads)
    return ownKernel(
      forms, scratchByteCount: ck_tile_weights_gradient_scratch_bytes(&description)
    ) { [description] memory, weights in
      withUnsafePointer(to: description) {
        ck_tile_weights_gradient_run(
          $0, memory.inputs[0], memory.inputs[1], weights, memory.scratch)
      }
    }
  }

  /// Returns whether at least a quarter of the multiply-adds on tiles are useful. The rest multiply zeros: rows are
  /// padded to multiples of 32 pixels, and channels to multiples of 16.
  private func fillsTiles(_ large: FeatureMap, _ small: FeatureMap) -> Bool {
    func share(_ count: Int, _ step: Int) -> Double {
      Double(count) / Double((count + step - 1) / step * step)
    }
    return share(small.width, 32) * share(large.channels, 16) * share(small.channels, 16) >= 0.25
  }
}
