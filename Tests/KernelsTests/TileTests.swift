import CKernels
import COneDNN
import Foundation
import Testing

/// Creates a random convolution. In some cases the channels fill the rows of tiles, and in other cases they do not.
private func randomTileConvolution(_ numbers: inout Numbers) -> ck_convolution {
  var d = randomConvolution(&numbers)
  d.input_channels = [3, 16, 32, 33, 64][numbers.integer(below: 5)]
  if numbers.integer(below: 3) == 0 { (d.kernel_height, d.kernel_width) = (1, 1) }
  if numbers.integer(below: 3) == 0 {
    (d.pad_top, d.pad_left) = (d.kernel_height / 2, d.kernel_width / 2)
    d.output_height = min(d.output_height, 6)
  }
  d.output_height = min(d.output_height, 8)
  d.output_channels = min(d.output_channels, 40)
  d.source_type = CK_BF16
  d.matrix_tiles = 2
  return d
}

extension KernelTests {
  @Test("A product on matrix tiles matches the bits of its definition", arguments: 0..<40)
  func tileProduct(seed: Int) {
    var numbers = Numbers(seed: UInt64(seed))
    // If the seed is even, the values have all magnitudes, including subnormal numbers, infinity and NaN.
    func any() -> UInt16 {
      seed % 2 == 0
        ? UInt16(numbers.integer(below: 65536))
        : UInt16(numbers.integer(below: 2) * 0x8000 + 0x3000 + numbers.integer(below: 0x1400))
    }
    let a = (0..<512).map { _ in any() }, b = (0..<512).map { _ in any() }
    let sums = (0..<256).map { _ in Float(bitPattern: UInt32(any()) << 16) }
    func wide(_ bits: UInt16) -> Float { Float(bitPattern: UInt32(bits) << 16) }
    var expected: [Float] = []
    for m in 0..<16 {
      for n in 0..<16 {
        let row = (0..<32).map { wide(a[m * 32 + $0]) }
        let column = (0..<32).map { wide(b[($0 / 2 * 16 + n) * 2 + $0 % 2]) }
        expected.append(TileDefinition.added(sums[m * 16 + n], row[...], column[...]))
      }
    }
    onEachInstructionSet { level in
      for kind in kindsOfTiles {
        var found = sums
        #expect(ck_tile_multiply(kind == 2 ? 1 : 0, a, b, &found) == 0)
        for (value, wanted) in zip(found, expected) {
          #expect(
            value.bitPattern == wanted.bitPattern || value.isNaN && wanted.isNaN,
            "\(value), expected \(wanted), instructions \(level)")
        }
      }
    }
  }

  @Test("Instruction sets below AVX512-BF16 have no matrix tiles")
  func tilesAreLimited() {
    ck_limit_instructions(2)
    defer { ck_limit_instructions(3) }
    #expect(ck_has_matrix_tiles() == 0)
    var sums = [Float](repeating: 0, count: 256)
    let zeros = [UInt16](repeating: 0, count: 512)
    #expect(ck_tile_multiply(0, zeros, zeros, &sums) == -1)
  }

  @Test("Convolutions of pairs of bfloat16 match plain loops", arguments: 0..<40)
  func pairConvolutionsEqualLoops(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    var d = randomTileConvolution(&numbers)
    (d.source_type, d.destination_type) = (CK_F32, CK_F32)
    for kind in kindsOfTiles {
      d.matrix_tiles = kind
      try expectLoops(d, &numbers, within: 2e-4, 2e-4, norms: false)
    }
  }

  @Test("Convolutions on matrix tiles match plain loops", arguments: 0..<40)
  func tileConvolutionsEqualLoops(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    var d = randomTileConvolution(&numbers)
    for kind in kindsOfTiles {
      d.matrix_tiles = kind
      try expectLoops(
        d, &numbers, within: d.upsample > 1 ? 0.1 : d.destination_type == CK_BF16 ? 0.008 : 2e-4)
    }
  }

  @Test("Convolutions on matrix tiles match the bits of their definition", arguments: 0..<120)
  func tileConvolutionBits(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed))
    var d = randomTileConvolution(&numbers)
    // Half of the convolutions multiply pairs of bfloat16.
    if seed >= 60 { d.source_type = CK_F32 }
    (d.has_bias, d.has_residual, d.has_scale, d.activation) = (0, 0, 0, CK_IDENTITY)
    d.destination_type = CK_F32
    let inputs = Int(d.batch * d.input_height * d.input_width * d.input_channels)
    let outputs = Int(d.batch * d.output_height * d.output_width * d.output_channels)
    let source = Values(d.source_type, numbers.array(inputs))
    // An infinite input value must affect only the windows that contain it.
    if seed % 3 == 0 { source[numbers.integer(below: inputs)] = .infinity }
    let weights = numbers.array(
      Int(d.input_channels * d.output_channels * d.kernel_height * d.kernel_width))
    let expected = TileDefinition.convolution(d, source.array, weights)
    try onEachInstructionSet { level in
      for kind in kindsOfTiles {
        d.matrix_tiles = kind
        let plan = try #require(ck_convolution_create(&d))
        defer { ck_convolution_destroy(plan) }
        let packed = Values(CK_F32, count: ck_convolution_weights_bytes(plan) / 4)
        let scratch = Values(CK_F32, count: ck_convolution_scratch_bytes(plan, 2) / 4)
        let result = Values(CK_F32, count: outputs)
        ck_convolution_pack(plan, weights, packed.pointer)
        var arguments = ck_convolution_arguments()
        arguments.source = UnsafeRawPointer(source.pointer)
        arguments.weights = UnsafeRawPointer(packed.pointer)
        arguments.destination = result.pointer
        arguments.scratch = scratch.pointer
        arguments.threads = 2
        #expect(ck_convolution_run(plan, &arguments) == 0)
        let wrong = zip(result.array, expected).filter { !($0 == $1 || $0.isNaN && $1.isNaN) }
        #expect(
          wrong.isEmpty,
          "\(wrong.count) of \(outputs), \(String(cString: ck_convolution_name(plan))), instructions \(level)"
        )
      }
    }
  }

  @Test("Convolutions of pairs of bfloat16 write float32 and apply no norm")
  func pairsNeedFloat32() {
    var numbers = Numbers(seed: 5)
    var d = randomTileConvolution(&numbers)
    (d.source_type, d.destination_type) = (CK_F32, CK_F32)
    #expect(ck_convolution_create(&d).map(ck_convolution_destroy) != nil)
    d.destination_type = CK_BF16
    #expect(ck_convolution_create(&d) == nil)
    (d.destination_type, d.has_norm) = (CK_F32, 1)
    #expect(ck_convolution_create(&d) == nil)
  }

  @Test("Weight gradients on matrix tiles match the bits of their definition", arguments: 0..<40)
  func tileGradients(seed: Int) {
    var numbers = Numbers(seed: UInt64(seed))
    func number(_ least: Int, _ count: Int) -> Int64 {
      Int64(least + numbers.integer(below: count))
    }
    let channels: [Int64] = [1, 3, 16, 17, 32, 40]
    var d = ck_tile_weights_gradient(
      batch: number(1, 2), input_channels: channels[numbers.integer(below: 6)],
      input_height: number(1, 14), input_width: number(1, 90),
      output_channels: channels[numbers.integer(below: 6)], output_height: number(1, 7),
      output_width: number(1, 70), kernel_height: number(1, 3), kernel_width: number(1, 4),
      stride_height: number(1, 3), stride_width: number(1, 3), dilation_height: number(1, 2),
      dilation_width: number(1, 2), pad_top: number(-1, 5), pad_left: number(-2, 6),
      matrix_tiles: 2,
      threads: 1)
    let large = Values(
      CK_BF16, numbers.array(Int(d.batch * d.input_height * d.input_width * d.input_channels)))
    let small = Values(
      CK_BF16, numbers.array(Int(d.batch * d.output_height * d.output_width * d.output_channels)))
    let expected: [Float] = TileDefinition.gradient(
      d, large.array, small.array, parts: Int(ck_tile_weights_gradient_parts(&d)))
    onEachInstructionSet { level in
      for kind in kindsOfTiles {
        for threads: Int32 in [1, 2] {
          (d.matrix_tiles, d.threads) = (kind, threads)
          let scratch = Values(CK_F32, count: ck_tile_weights_gradient_scratch_bytes(&d) / 4)
          var found = [Float](repeating: .nan, count: expected.count)
          #expect(
            ck_tile_weights_gradient_run(&d, large.pointer, small.pointer, &found, scratch.pointer)
              == 0)
          #expect(found == expected, "instructions \(level), \(d)")
        }
      }
    }
  }

  @Test("Weight gradients on matrix tiles refuse invalid sizes")
  func tileGradientNonsense() {
    var d = ck_tile_weights_gradient(
      batch: 1, input_channels: 16, input_height: 8, input_width: 8, output_channels: 16,
      output_height: 8, output_width: 8, kernel_height: 3, kernel_width: 3, stride_height: 1,
      stride_width: 1, dilation_height: 1, dilation_width: 1, pad_top: 1, pad_left: 1,
      matrix_tiles: 2,
      threads: 1)
    #expect(ck_tile_weights_gradient_scratch_bytes(&d) > 0)
    for change: WritableKeyPath<ck_tile_weights_gradient, Int64> in [
      \.batch, \.input_channels, \.output_width, \.kernel_height, \.stride_width, \.pad_left,
    ] {
      for value in [change == \.pad_left ? .min : 0, Int64.max] {
        var wrong = d
        wrong[keyPath: change] = value
        #expect(ck_tile_weights_gradient_scratch_bytes(&wrong) == 0)
        #expect(ck_tile_weights_gradient_parts(&wrong) == 0)
      }
    }
  }

  @Test("Batched products on matrix tiles match the bits of their definition", arguments: 0..<24)
  func tileProducts(seed: Int) {
    var numbers = Numbers(seed: UInt64(seed))
    func flag() -> Int32 { Int32(numbers.integer(below: 2)) }
    var d = ck_tile_matmul()
    (d.batch, d.rows) = (
      1 + Int64(numbers.integer(below: 3)), 1 + Int64(numbers.integer(below: 150))
    )
    (d.inner, d.columns) = (
      1 + Int64(numbers.integer(below: 90)), 1 + Int64(numbers.integer(below: 80))
    )
    (d.transpose_left, d.transpose_right) = (flag(), flag())
    (d.one_left, d.one_right, d.matrix_tiles) = (flag(), flag(), 2)
    let (rows, inner, columns) = (Int(d.rows), Int(d.inner), Int(d.columns))
    let left = numbers.array((d.one_left == 1 ? 1 : Int(d.batch)) * rows * inner)
    let right = numbers.array((d.one_right == 1 ? 1 : Int(d.batch)) * inner * columns)
    var expected: [Float] = []
    for n in 0..<Int(d.batch) {
      let (l, r) = (
        d.one_left == 1 ? 0 : n * rows * inner, d.one_right == 1 ? 0 : n * inner * columns
      )
      for row in 0..<rows {
        let a = (0..<inner).map {
          TileDefinition.rounded(
            left[l + (d.transpose_left == 1 ? $0 * rows + row : row * inner + $0)])
        }
        for column in 0..<columns {
          let b = (0..<inner).map { k in
            let index = d.transpose_right == 1 ? column * inner + k : k * columns + column
            return TileDefinition.rounded(right[r + index])
          }
          expected.append(TileDefinition.added(0, a, b))
        }
      }
    }
    onEachInstructionSet { level in
      for kind in kindsOfTiles {
        d.matrix_tiles = kind
        let scratch = Values(CK_F32, count: ck_tile_matmul_scratch_bytes(&d, 2) / 4)
        for threads: Int32 in [1, 2] {
          var result = [Float](repeating: .nan, count: expected.count)
          #expect(ck_tile_matmul_run(&d, left, right, &result, scratch.pointer, threads) == 0)
          #expect(result == expected, "instructions \(level), tiles \(kind)")
        }
      }
    }
    d.inner = 0
    #expect(ck_tile_matmul_scratch_bytes(&d, 1) == 0)
    let scratch = Values(CK_F32, count: 1)
    #expect(ck_tile_matmul_run(&d, left, right, &expected, scratch.pointer, 1) == -1)
  }
}
