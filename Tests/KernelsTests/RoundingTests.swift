import CKernels
import Testing

extension KernelTests {
  /// Makes a convolution without upsampling, statistics and scale, whose results have many values between two float16
  /// values.
  private func randomRounded(_ numbers: inout Numbers) -> ck_convolution {
    var d = randomConvolution(&numbers)
    (d.has_scale, d.rounds) = (0, 1)
    (d.source_type, d.destination_type) = (CK_F32, CK_F32)
    d.activation = [CK_IDENTITY, CK_RELU, CK_CLIP][numbers.integer(below: 3)]
    // No float16 equals 1.3.
    (d.alpha, d.beta) = (0, 1.3)
    switch numbers.integer(below: 4) {
    case 0:
      (d.kernel_height, d.kernel_width, d.upsample, d.deconvolution) = (1, 1, 1, 0)
      (d.stride_height, d.stride_width, d.pad_top, d.pad_left) = (1, 1, 0, 0)
      (d.output_height, d.output_width) = (d.input_height, d.input_width)
    case 1:
      (d.kernel_height, d.kernel_width, d.upsample, d.deconvolution) = (3, 3, 1, 0)
      (d.stride_height, d.stride_width, d.dilation_height, d.dilation_width) = (1, 1, 1, 1)
      (d.pad_top, d.pad_left, d.winograd_tile) = (1, 1, numbers.integer(below: 2) == 0 ? 2 : 4)
      (d.input_channels, d.output_channels) = (16, 48)
      (d.output_height, d.output_width) = (d.input_height, d.input_width)
    default: break
    }
    return d
  }

  @Test("Convolutions round as if rounding were a step of its own", arguments: 0..<60)
  func convolutionsRoundEachStep(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    let d = randomRounded(&numbers)
    let pixels = Int(d.batch * d.output_height * d.output_width)
    let source = numbers.array(
      Int(d.batch * d.input_height * d.input_width * d.input_channels))
    let weights = numbers.array(
      Int(d.input_channels * d.output_channels * d.kernel_height * d.kernel_width))
    let bias = numbers.array(Int(d.output_channels))
    let residual = numbers.array(pixels * Int(d.output_channels)).map { Float(Float16($0)) }

    func run(_ description: ck_convolution) throws -> [Float] {
      var d = description
      let plan = try #require(ck_convolution_create(&d))
      defer { ck_convolution_destroy(plan) }
      let packed = Values(CK_F32, count: ck_convolution_weights_bytes(plan) / 4)
      let scratch = Values(CK_F32, count: ck_convolution_scratch_bytes(plan, 2) / 4)
      let result = Values(CK_F32, count: residual.count)
      let input = Values(CK_F32, source)
      let added = Values(CK_F32, residual)
      ck_convolution_pack(plan, weights, packed.pointer)
      let status = bias.withUnsafeBufferPointer { bias in
        var arguments = ck_convolution_arguments()
        arguments.source = UnsafeRawPointer(input.pointer)
        arguments.weights = UnsafeRawPointer(packed.pointer)
        arguments.bias = bias.baseAddress
        arguments.residual = UnsafeRawPointer(added.pointer)
        arguments.destination = result.pointer
        arguments.scratch = scratch.pointer
        arguments.threads = 2
        return ck_convolution_run(plan, &arguments)
      }
      #expect(status == 0)
      return result.array
    }

    try onEachInstructionSet { level in
      var plain = d
      (plain.rounds, plain.has_residual, plain.activation) = (0, 0, CK_IDENTITY)
      let sums: [Float] = try run(plain)
      let expected: [Float] = sums.indices.map { index in
        var value = Float(Float16(sums[index]))
        if d.has_residual == 1 { value = Float(Float16(value + residual[index])) }
        if d.activation != CK_IDENTITY { value = max(value, 0) }
        if d.activation == CK_CLIP { value = Float(Float16(min(value, 1.3))) }
        return value
      }
      #expect(try run(d) == expected, "instructions \(level), \(d)")
    }
  }

  @Test("A rounded convolution has no factors")
  func roundedConvolutionHasNoFactors() {
    var numbers = Numbers(seed: 1)
    var d = randomRounded(&numbers)
    #expect(ck_convolution_create(&d).map(ck_convolution_destroy) != nil)
    d.has_scale = 1
    #expect(ck_convolution_create(&d) == nil)
  }
}
