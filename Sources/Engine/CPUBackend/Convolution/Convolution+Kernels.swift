import Backends
import Graph
import Operators

extension ConvolutionOperator: KernelProvider {
  public var kernels: [KernelCandidate] { FusedConvolution(self).kernels }
}

extension FusedConvolution: KernelProvider {
  /// All candidates except our own kernels on matrix tiles.
  var vectorKernels: [KernelCandidate] {
    let library = KernelCandidate("oneDNN convolution") { try libraryKernel($0) }
    let tiles = KernelCandidate("oneDNN convolution on matrix tiles") { request in
      Self.hasTiles(request) ? try libraryKernel(request) : nil
    }
    let direct = KernelCandidate("direct convolution") { try directKernel($0) }
    let depthwise = KernelCandidate("depthwise convolution") { try depthwiseKernel($0) }
    let winograd = KernelCandidate("Winograd convolution") { request in
      let pixels: Int = request.outputs[0].shape.count / core.outputChannels
      guard pixels >= Self.leastWinogradPixels else { return nil }
      return try directKernel(request, tile: Self.winogradTile(request, pixels: pixels))
    }
    let tile2 = KernelCandidate("Winograd convolution, F(2 × 2)") { request in
      let pixels: Int = request.outputs[0].shape.count / core.outputChannels
      guard pixels < Self.mostSmallTilePixels, Self.winogradTile(request, pixels: pixels) > 2
      else { return nil }
      return try directKernel(request, tile: 2)
    }
    // If oneDNN uses matrix tiles, the candidate `tiles` tries oneDNN's kernel already. This candidate then returns
    // nil, so that oneDNN's kernel is not tried twice.
    let libraryWithoutTiles = KernelCandidate("oneDNN convolution") { request in
      guard !Self.hasTiles(request), let kernel = try libraryKernel(request) else { return nil }
      return try isSlowProduct(kernel) && directKernel(request) != nil ? nil : kernel
    }
    let tile4 = KernelCandidate("Winograd convolution, F(4 × 4)") { request in
      let pixels: Int = request.outputs[0].shape.count / core.outputChannels
      guard pixels >= Self.leastLargeTilePixels, request.productPrecision == .float32,
        Self.winogradTile(request, pixels: pixels) < 4
      else { return nil }
      return try directKernel(request, tile: 4)
    }
    // F(6 × 6) needs a fifth of the direct sum's multiply-adds. It computes in float32 and is used only in plans that
    // may round results to bfloat16.
    let tile6 = KernelCandidate("Winograd convolution, F(6 × 6)") { request in
      let pixels: Int = request.outputs[0].shape.count / core.outputChannels
      guard pixels >= Self.leastTile6Pixels, request.precision == .bfloat16 else { return nil }
      return try directKernel(request, tile: 6)
    }
    let repeated = winogradKernel("Winograd convolution with upsampling", tile: 4)
    let strided = winogradKernel("Winograd convolution, stride 2", tile: 3)
    let mirrored = KernelCandidate("oneDNN convolution, mirrored") { try mirroredKernel($0) }
    let mirroredWithoutTiles = KernelCandidate("oneDNN convolution, mirrored") { request in
      Self.hasTiles(request) ? nil : try mirroredKernel(request)
    }
    let mirroredOnTiles = KernelCandidate("oneDNN convolution on matrix tiles, mirrored") {
      Self.hasTiles($0) ? try mirroredKernel($0) : nil
    }
    if suitsWinograd, canMirror {
      return [
        mirroredOnTiles, winograd, mirroredWithoutTiles, library, direct, tile2, tile4, tile6,
      ]
    }
    if suitsWinograd { return [tiles, winograd, libraryWithoutTiles, direct, tile2, tile4, tile6] }
    if canMirror { return [mirrored, direct, library] }
    if core.groups > 1 { return [depthwise, library] }
    if suitsRepeatedWinograd { return [repeated, direct] }
    if suitsStridedWinograd { return [tiles, strided, direct, libraryWithoutTiles] }
    let others: [KernelCandidate] =
      prefersDirect ? [tiles, direct, libraryWithoutTiles] : [library, direct]
    return suitsLargeKernelWinograd
      ? [largeKernel(.float32)] + others + [largeKernel(.bfloat16)] : others
  }

  /// Returns the candidate of Winograd's algorithm with one tile size.
  private func winogradKernel(_ name: String, tile: Int) -> KernelCandidate {
    KernelCandidate(name) { request in
      let pixels: Int = request.outputs[0].shape.count / core.outputChannels
      guard pixels >= Self.leastWinogradPixels else { return nil }
      return try directKernel(request, tile: tile)
    }
  }

  /// Returns the candidate of Winograd's algorithm for large kernels, in float32. If all kernels multiply in float32,
  /// this candidate comes first. If other kernels multiply in bfloat16 at twice the rate, this candidate comes after
  /// them.
  private func largeKernel(_ precision: Precision) -> KernelCandidate {
    KernelCandidate("Winograd convolution, large kernel") { request in
      let pixels: Int = request.outputs[0].shape.count / core.outputChannels
      guard request.productPrecision == precision, pixels >= Self.leastLargeKernelPixels else {
        return nil
      }
      return try directKernel(request, tile: 3)
    }
  }

  /// Returns whether oneDNN multiplies on matrix tiles (AMX). In every convolution of three style networks, this was
  /// many times as fast as our vector kernels.
  private static func hasTiles(_ request: KernelRequest) -> Bool {
    request.processor.hasMatrixTiles && request.precision == .bfloat16
  }

  /// Returns whether oneDNN has no kernel for these channels, and multiplies matrices with very few columns instead.
  /// Such a product takes up to fifty times as long as our kernel (64 → 3 channels, 9 × 9, AVX2: 1.4 s instead of 30
  /// ms). Even timing it would take too long.
  private func isSlowProduct(_ kernel: Kernel) -> Bool {
    core.outputChannels < 8 && kernel.step.detail.contains("gemm")
  }

  /// Whether our kernel is faster than oneDNN's (measured, see Documentation/Performance.md): for large kernels with
  /// few input or output channels, transposed convolutions, and fused upsampling.
  private var prefersDirect: Bool {
    core.groups == 1
      && (core.isDeconvolution || upsampling > 1 || epilogue.contains(.factors)
        || epilogue.contains(.rounding)
        || core.outputChannels < 16
        || core.inputChannels < 16)
  }

  /// Whether Winograd's algorithm applies: 3 × 3 kernels of stride 1, and channels that fill vectors.
  private var suitsWinograd: Bool {
    core.stride == Pair(1, 1) && upsampling == 1 && hasWinogradKernelSize
  }

  /// Whether Winograd's algorithm applies to an image with nearest upsampling. `ck_convolution` also requires odd
  /// padding.
  private var suitsRepeatedWinograd: Bool {
    core.stride == Pair(1, 1) && upsampling == 2 && hasWinogradKernelSize
  }

  /// Whether Winograd's algorithm applies with stride 2.
  private var suitsStridedWinograd: Bool {
    core.stride == Pair(2, 2) && upsampling == 1 && !core.isDeconvolution && hasWinogradKernelSize
  }

  private var hasWinogradKernelSize: Bool {
    core.kernel == Pair(3, 3) && core.dilation == Pair(1, 1) && core.groups == 1
      && core.inputChannels % 16 == 0 && core.outputChannels % 16 == 0
  }

  /// Whether Winograd's algorithm applies after the kernel is divided into blocks of 3 × 3. This is so for kernels of 5
  /// × 5 or larger with stride 1 and few channels. For 9 × 9 with 3 input or output channels, Winograd's algorithm
  /// takes half the time of the direct sum.
  private var suitsLargeKernelWinograd: Bool {
    let one = Pair(1, 1)
    return !core.isDeconvolution && core.stride == one && core.dilation == one && core.groups == 1
      && upsampling == 1
      && min(core.kernel.height, core.kernel.width) >= 5
      && max(core.kernel.height, core.kernel.width) <= 15
      && max(core.inputChannels, core.outputChannels) <= 64
  }

  /// The least number of output pixels, in the whole batch, for the large-kernel algorithm. With fewer pixels, blocks
  /// of 3 × 3 do not fill vectors.
  private static let leastLargeKernelPixels = 256

  /// The least number of output pixels, in the whole batch, for Winograd's algorithm. With fewer pixels, most of the
  /// time is spent on reading the weights, and the transformed weights are nearly twice as large as the original
  /// weights.
  private static let leastWinogradPixels = 36

  /// The largest number of output pixels for F(2 × 2) tiles. With more pixels, F(4 × 4) tiles have always been faster.
  private static let mostSmallTilePixels = 4096

  /// The least number of output pixels for F(4 × 4) tiles. With fewer pixels, they have not been faster than F(2 × 2)
  /// tiles, because each weight is read for too few pixels.
  private static let leastLargeTilePixels = 512

  /// The least number of output pixels for F(6 × 6) tiles. With fewer pixels, these tiles extend too far beyond the
  /// edges, and each weight is read for too few pixels.
  private static let leastTile6Pixels = 1024

  /// Returns the side of the output tiles of Winograd's algorithm. F(4 × 4) needs a quarter of the direct sum's
  /// multiply-adds, but its rounding error in bfloat16 is 0.5 %. The error of F(2 × 2) is 0.2 %, like that of the
  /// direct sum. The weights transformed for F(4 × 4) take four times as much memory as the original weights. For small
  /// images, the saved time is not worth this memory.
  package static func winogradTile(
    _ precision: Precision, isTolerant: Bool, pixels: Int
  ) -> Int {
    guard precision != .bfloat16 || isTolerant else { return 2 }
    return pixels < 1024 ? 2 : 4
  }

  private static func winogradTile(_ request: KernelRequest, pixels: Int) -> Int {
    winogradTile(request.productPrecision, isTolerant: request.isTolerant, pixels: pixels)
  }

  /// Returns the forms of input and output: channels last, and `bfloat16` if the plan allows it. Results with at most
  /// four channels are `float32`, because they are small images to look at.
  package func forms(_ request: KernelRequest, _ precision: Precision? = nil) -> (
    TensorDescriptor, TensorDescriptor
  ) {
    let isBFloat16: Bool = (precision ?? request.precision) == .bfloat16
    let storage: ElementType = isBFloat16 ? .bfloat16 : .float32
    return (
      TensorDescriptor(request.inputs[0].shape, storage, .channelsLast),
      TensorDescriptor(
        request.outputs[0].shape, core.outputChannels <= 4 ? .float32 : storage, .channelsLast)
    )
  }
}

extension KernelRequest {
  /// The precision in which our own kernels multiply. They convert bfloat16 images to float32 unless the processor
  /// multiplies bfloat16 (`ck_convolution.source_type`).
  fileprivate var productPrecision: Precision {
    processor.multipliesBFloat16 && precision == .bfloat16 ? .bfloat16 : .float32
  }
}
