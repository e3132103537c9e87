import CKernels
import COneDNN
import Foundation
import Testing

extension KernelTests {
  /// A product with dynamic quantisation, and its definition in `Double`.
  private struct DynamicCase: CustomStringConvertible {
    var product = ck_dynamic_product()
    let source: [Float], bias: [Float], residual: [Float]
    let packed: UnsafeMutableRawPointer
    /// The weights that the packed weights represent, `[columns, inner]`.
    let numbers: [Double]
    let description: String

    /// Creates a case. Even seeds quantise a float matrix; odd seeds store integers of 8 or 4 bits, with or without zero
    /// points, in blocks or not.
    init(seed: Int) throws {
      var random = Numbers(seed: UInt64(seed))
      func pick<Value>(_ list: [Value]) -> Value { list[random.integer(below: list.count)] }
      let isStored: Bool = seed % 2 == 1
      let bits: Int = isStored && seed % 4 == 1 ? 4 : 8
      let block: Int = pick([16, 32, 48])
      let isBlocked: Bool = isStored && pick([true, false])
      let inner: Int = isBlocked ? block * pick([1, 2, 5]) : pick([2, 4, 18, 64, 130])
      let (rows, columns) = (pick([1, 2, 5, 8, 17, 180]), pick([1, 15, 16, 33, 70]))
      product.rows = Int64(rows)
      (product.inner, product.columns) = (Int64(inner), Int64(columns))
      product.bits = Int32(bits)
      product.block = Int64(isBlocked ? block : inner)
      try #require(ck_dynamic_product_suits(&product) != 0)
      source = random.array(rows * inner)
      bias = random.array(columns)
      residual = random.array(rows * columns)
      packed = .allocate(
        byteCount: ck_dynamic_product_weights_bytes(&product), alignment: 64)
      guard isStored else {
        let isTransposed: Bool = pick([true, false])
        let weights: [Float] = random.array(columns * inner)
        try #require(
          ck_dynamic_product_pack(&product, weights, isTransposed ? 1 : 0, packed) == 0)
        var numbers: [Double] = []
        for column in 0..<columns {
          let own: [Float] = (0..<inner).map {
            weights[isTransposed ? column * inner + $0 : $0 * columns + column]
          }
          numbers += Self.quantized(own)
        }
        self.numbers = numbers
        description = "\(product), float\(isTransposed ? ", transposed" : "")"
        return
      }
      let (isSigned, hasZeros) = (pick([true, false]), pick([true, false]))
      let lowest: Int = isSigned ? -(1 << (bits - 1)) : 0
      let blocks: Int = inner / Int(product.block)
      let scales: [Float] = random.array(columns * blocks)
      let zeros: [Float] = scales.map { _ in
        hasZeros ? Float(random.integer(below: 1 << bits) + lowest) : 0
      }
      let elements: [Int] = (0..<columns * inner).map { _ in random.integer(below: 1 << bits) }
      let bytes: [UInt8] =
        bits == 8
        ? elements.map { UInt8($0) }
        : stride(from: 0, to: elements.count, by: 2).map {
          UInt8(elements[$0] | elements[$0 + 1] << 4)
        }
      var matrix = ck_stored_matrix()
      matrix.kind = isSigned ? CK_STORED_SIGNED : CK_STORED_UNSIGNED
      matrix.bits = Int32(bits)
      (matrix.columns, matrix.inner) = (Int64(columns), Int64(inner))
      (matrix.scale_columns, matrix.scale_inner) = (1, product.block)
      let (sizes, memory) = (product, packed)
      let status: Int32 = bytes.withUnsafeBytes { bytes in
        matrix.elements = bytes.baseAddress
        return withUnsafePointer(to: sizes) {
          ck_dynamic_product_pack_stored($0, &matrix, scales, hasZeros ? zeros : nil, memory)
        }
      }
      try #require(status == 0)
      numbers = elements.enumerated().map { index, element in
        let number: Int = isSigned && element >= 1 << (bits - 1) ? element - 1 << bits : element
        let at: Int = index / inner * blocks + index % inner / (isBlocked ? block : inner)
        return (Double(number) - Double(zeros[at])) * Double(scales[at])
      }
      description = "\(product), stored, signed: \(isSigned), zero points: \(hasZeros)"
    }

    /// Returns the numbers that quantised values of a row or column represent.
    static func quantized(_ values: [Float]) -> [Double] {
      let most: Float = values.map(abs).max() ?? 0
      guard most > 0 else { return values.map { _ in 0 } }
      return values.map {
        Double(($0 * (127 / most)).rounded(.toNearestOrEven)) * Double(most / 127)
      }
    }

    /// Returns the results by the definition, without an activation, and the sum of the magnitudes of their terms.
    func definition() -> [(value: Double, size: Double)] {
      let (inner, columns) = (Int(product.inner), Int(product.columns))
      return (0..<Int(product.rows)).flatMap { row in
        let values: [Double] = Self.quantized(Array(source[row * inner..<(row + 1) * inner]))
        return (0..<columns).map { column in
          var (sum, size) = (Double(bias[column]), 1.0)
          for element in 0..<inner {
            let term: Double = values[element] * numbers[column * inner + element]
            sum += term
            size += abs(term)
          }
          return (sum, size)
        }
      }
    }

    /// Runs the kernel. The residual is in the memory of the result.
    func run(_ source: [Float]? = nil, hasResidual: Bool = false) throws -> [Float] {
      var product: ck_dynamic_product = product
      let scratch = UnsafeMutableRawPointer.allocate(
        byteCount: ck_dynamic_product_scratch_bytes(&product), alignment: 64)
      defer { scratch.deallocate() }
      var result: [Float] = residual
      let status: Int32 = result.withUnsafeMutableBufferPointer { result in
        ck_dynamic_product_run(
          &product, source ?? self.source, packed, bias,
          hasResidual ? UnsafePointer(result.baseAddress) : nil, result.baseAddress, scratch)
      }
      try #require(status == 0)
      return result
    }
  }

  @Test(
    "Products with dynamic quantisation match the definition, with the same bits on every instruction set",
    arguments: 0..<60)
  func dynamicProducts(seed: Int) throws {
    defer { adnn_set_threads(2) }
    var bits: [[UInt32]] = []
    try onEachInstructionSet { level in
      // The layout of the packed weights depends on the instruction set.
      let test = try DynamicCase(seed: seed)
      defer { test.packed.deallocate() }
      let expected = test.definition()
      for threads: Int32 in [1, 2, 3] {
        adnn_set_threads(threads)
        let made: [Float] = try test.run()
        bits.append(made.map(\.bitPattern))
        for (value, known) in zip(made, expected) {
          #expect(abs(Double(value) - known.value) <= 1e-6 * known.size, "\(level) \(test)")
        }
      }
    }
    #expect(Set(bits).count == 1)
  }

  @Test(
    "Epilogues of products with dynamic quantisation add, activate and round",
    arguments: 0..<12)
  func dynamicEpilogues(seed: Int) throws {
    try onEachInstructionSet { level in
      var test = try DynamicCase(seed: seed)
      defer { test.packed.deallocate() }
      let plain: [Float] = try test.run()
      let added: [Float] = zip(plain, test.residual).map { $0 + $1 }
      #expect(try test.run(hasResidual: true) == added, "\(level) \(test)")
      test.product.activation = CK_RELU
      #expect(try test.run(hasResidual: true) == added.map { max($0, 0) })
      (test.product.activation, test.product.alpha, test.product.beta) = (CK_CLIP, -0.1, 0.3)
      #expect(try test.run() == plain.map { min(max($0, -0.1), 0.3) })
      (test.product.activation, test.product.alpha) = (CK_LEAKY_RELU, 0.25)
      #expect(try test.run() == plain.map { $0 < 0 ? $0 * 0.25 : $0 })
      func rounded(_ value: Float) -> Float { Values.halfToFloat(Values.floatToHalf(value)) }
      test.product.rounds = 1
      let sums: [Float] = zip(plain, test.residual).map { rounded(rounded($0) + $1) }
      #expect(
        try test.run(hasResidual: true) == sums.map { rounded($0 < 0 ? $0 * 0.25 : $0) })
    }
  }

  @Test("Rows of zeros give the bias, and rows with NaN or infinity give NaN")
  func dynamicRowsWithoutScale() throws {
    try onEachInstructionSet { _ in
      for seed in 0..<8 {
        let test = try DynamicCase(seed: seed)
        defer { test.packed.deallocate() }
        let (inner, columns) = (Int(test.product.inner), Int(test.product.columns))
        var source: [Float] = test.source
        for index in 0..<inner { source[index] = 0 }
        #expect(try Array(test.run(source)[..<columns]) == test.bias)
        for value: Float in [.nan, .infinity] {
          source[inner - 1] = value
          let made: [Float] = try test.run(source)
          #expect(made[..<columns].allSatisfy { $0.isNaN })
          let known: [Float] = try test.run()
          #expect(made[columns...] == known[columns...])
        }
      }
    }
  }

  @Test("A product with dynamic quantisation whose sums could exceed 32 bits is declined")
  func dynamicLimits() {
    var product = ck_dynamic_product()
    (product.rows, product.columns, product.bits) = (1, 1, 8)
    for (inner, block, isGood) in [
      (33_000, 33_000, true), (33_001, 33_001, false), (64, 16, true), (64, 24, false),
      (66_000, 16, true),
    ] {
      (product.inner, product.block) = (Int64(inner), Int64(block))
      #expect((ck_dynamic_product_suits(&product) != 0) == isGood, "\(inner) \(block)")
    }
  }
}
