import Backends
import Graph
import Operators

extension ConvolutionOperator: KernelProvider {
  /// The kernels without our own for matrix tiles.
  var vectorKernels: [KernelCandidate] {
    let library = KernelCandidate("oneDNN convolution") { try libraryKernel($0) }
    let tiles = KernelCandidate("oneDNN convolution on matrix tiles") { request in
      Self.hasTiles(request) ? try libraryKernel(request) : nil
    }
    let direct = KernelCandidate("direct convolution") { try directKernel($0) }
    let depthwise = KernelCandidate("depthwise convolution") { try depthwiseKernel($0) }
    let winograd = KernelCandidate("Winograd convolution") { request in
      let pixels: Int = request.outputs[0].shape.count / outputChannels
      guard pixels >= Self.leastWinogradPixels else { return nil }
      return try directKernel(request, tile: Self.winogradTile(request, pixels: pixels))
    }
    let small = KernelCandidate("Winograd convolution in small squares") { request in
      let pixels: Int = request.outputs[0].shape.count / outputChannels
      guard pixels < Self.mostSmallSquarePixels, Self.winogradTile(request, pixels: pixels) > 2
      else { return nil }
      return try directKernel(request, tile: 2)
    }
    // The library takes matrix tiles where it has them. Then it stands in front, and not a second time.
    let libraryElse = KernelCandidate("oneDNN convolution") { request in
      guard !Self.hasTiles(request), let kernel = try libraryKernel(request) else { return nil }
      return try isSlowProduct(kernel) && directKernel(request) != nil ? nil : kernel
    }
    let large = KernelCandidate("Winograd convolution in large squares") { request in
      let pixels: Int = request.outputs[0].shape.count / outputChannels
      guard pixels >= Self.leastLargeSquarePixels, request.productPrecision == .float32,
        Self.winogradTile(request, pixels: pixels) < 4
      else { return nil }
      return try directKernel(request, tile: 4)
    }
    // A fifth of the plain sum's products, in float32, for results that are rounded to bfloat16.
    let sixes = KernelCandidate("Winograd convolution in squares of six") { request in
      let pixels: Int = request.outputs[0].shape.count / outputChannels
      guard pixels >= Self.leastSixesPixels, request.precision == .bfloat16 else { return nil }
      return try directKernel(request, tile: 6)
    }
    let repeated = winogradKernel("Winograd convolution of repeated pixels", tile: 4)
    let strided = winogradKernel("Winograd convolution with a stride", tile: 3)
    let mirrored = KernelCandidate("oneDNN convolution, mirrored") { try mirroredKernel($0) }
    let mirroredElse = KernelCandidate("oneDNN convolution, mirrored") { request in
      Self.hasTiles(request) ? nil : try mirroredKernel(request)
    }
    let mirroredOnTiles = KernelCandidate("oneDNN convolution on matrix tiles, mirrored") {
      Self.hasTiles($0) ? try mirroredKernel($0) : nil
    }
    if suitsWinograd, canMirror {
      return [mirroredOnTiles, winograd, mirroredElse, library, direct, small, large, sixes]
    }
    if suitsWinograd { return [tiles, winograd, libraryElse, direct, small, large, sixes] }
    if canMirror { return [mirrored, direct, library] }
    if groups > 1 { return [depthwise, library] }
    if suitsRepeatedWinograd { return [repeated, direct] }
    if suitsStridedWinograd { return [tiles, strided, direct, libraryElse] }
    let others: [KernelCandidate] =
      prefersDirect ? [tiles, direct, libraryElse] : [library, direct]
    return suitsWideWinograd ? [wideKernel(.float32)] + others + [wideKernel(.bfloat16)] : others
  }

  /// Winograd's method in squares of one size.
  private func winogradKernel(_ name: String, tile: Int) -> KernelCandidate {
    KernelCandidate(name) { request in
      let pixels: Int = request.outputs[0].shape.count / outputChannels
      guard pixels >= Self.leastWinogradPixels else { return nil }
      return try directKernel(request, tile: tile)
    }
  }

  /// Winograd's method for wide windows, where products have one precision: it computes in float32, and so stands in
  /// front there, but after kernels that make twice the products a cycle in bfloat16.
  private func wideKernel(_ precision: Precision) -> KernelCandidate {
    KernelCandidate("Winograd convolution of a wide window") { request in
      let pixels: Int = request.outputs[0].shape.count / outputChannels
      guard request.productPrecision == precision, pixels >= Self.leastWidePixels else {
        return nil
      }
      return try directKernel(request, tile: 3)
    }
  }

  /// Whether oneDNN multiplies on matrix tiles (AMX), which have many times the rate of our kernels'
  /// vectors; measured in every convolution of three style networks.
  private static func hasTiles(_ request: KernelRequest) -> Bool {
    request.processor.hasMatrixTiles && request.precision == .bfloat16
  }

  /// Whether oneDNN has no kernel for these channels and multiplies matrices of very few columns, which takes up to
  /// fifty times as long as ours (64 → 3, 9 × 9, AVX2: 1.4 s beside 30 ms): too long even to be timed.
  private func isSlowProduct(_ kernel: Kernel) -> Bool {
    outputChannels < 8 && kernel.step.detail.contains("gemm")
  }

  /// Where our kernel is faster than oneDNN's (measured, see Documentation/Performance.md): wide
  /// kernels with few channels on one side, transposed convolutions, fused upsampling.
  private var prefersDirect: Bool {
    groups == 1
      && (isDeconvolution || upsampling > 1 || appliesFactors || outputChannels < 16
        || inputChannels < 16)
  }

  /// Whether Winograd's method computes this: windows of 3 × 3 that move pixel by pixel, and channels in
  /// whole vectors.
  private var suitsWinograd: Bool {
    stride == Pair(1, 1) && upsampling == 1 && suitsWinogradsWindow
  }

  /// Whether Winograd's method may compute this of a picture whose pixels are repeated; `ck_convolution` asks for odd
  /// paddings as well.
  private var suitsRepeatedWinograd: Bool {
    stride == Pair(1, 1) && upsampling == 2 && suitsWinogradsWindow
  }

  /// Whether Winograd's method computes this with windows that move by two pixels.
  private var suitsStridedWinograd: Bool {
    stride == Pair(2, 2) && upsampling == 1 && !isDeconvolution && suitsWinogradsWindow
  }

  private var suitsWinogradsWindow: Bool {
    kernel == Pair(3, 3) && dilation == Pair(1, 1) && groups == 1
      && inputChannels % 16 == 0 && outputChannels % 16 == 0
  }

  /// Whether Winograd's method computes this in blocks of 3 × 3: windows of 5 × 5 and more that move pixel by
  /// pixel over few channels. For 9 × 9 from 3 channels or to 3 it takes half the time of the plain sum.
  private var suitsWideWinograd: Bool {
    let one = Pair(1, 1)
    return !isDeconvolution && stride == one && dilation == one && groups == 1 && upsampling == 1
      && min(kernel.height, kernel.width) >= 5 && max(kernel.height, kernel.width) <= 15
      && max(inputChannels, outputChannels) <= 64
  }

  /// Below so many pixels of all pictures together squares of 3 × 3 do not fill vectors.
  private static let leastWidePixels = 256

  /// Below so many pixels of all pictures together reading the weights takes the time, of which Winograd's
  /// method has nearly twice as many.
  private static let leastWinogradPixels = 36

  /// From so many pixels on large squares have been faster everywhere.
  private static let mostSmallSquarePixels = 4096

  /// With fewer pixels large squares have not been faster, as their weights are read for too few of them.
  private static let leastLargeSquarePixels = 512

  /// With fewer pixels squares of six stand over the edges too far, and their weights are read for too few of them.
  private static let leastSixesPixels = 1024

  /// The side of the squares that Winograd's method computes at a time. Squares of four take a quarter of
  /// the products, but in bfloat16 they round by half a percent; squares of two by two thousandths, as
  /// the plain sum does. Small pictures would not repay four times the memory for weights.
  package static func winogradTile(
    _ precision: Precision, isTolerant: Bool, pixels: Int
  ) -> Int {
    guard precision == .float32 || isTolerant else { return 2 }
    return pixels < 1024 ? 2 : 4
  }

  private static func winogradTile(_ request: KernelRequest, pixels: Int) -> Int {
    winogradTile(request.productPrecision, isTolerant: request.isTolerant, pixels: pixels)
  }

  /// The forms of both kernels: channels last; `bfloat16` where the plan allows it, but for results of
  /// four channels or fewer, which are pictures to look at and small.
  package func forms(_ request: KernelRequest, _ precision: Precision? = nil) -> (
    TensorDescriptor, TensorDescriptor
  ) {
    let isNarrow: Bool = (precision ?? request.precision) == .bfloat16
    let storage: ElementType = isNarrow ? .bfloat16 : .float32
    return (
      TensorDescriptor(request.inputs[0].shape, storage, .channelsLast),
      TensorDescriptor(
        request.outputs[0].shape, outputChannels <= 4 ? .float32 : storage, .channelsLast)
    )
  }
}

extension KernelRequest {
  /// The precision in which our own kernels multiply: they widen pictures of bfloat16 where the processor has no
  /// products of it (`ck_convolution.source_type`).
  fileprivate var productPrecision: Precision {
    processor.multipliesBFloat16 ? precision : .float32
  }
}
