import CKernels
import Foundation
import Testing

/// Tests matrices in a file's storage format, on every instruction set.
extension KernelTests {
  /// A random matrix in a storage format, and its decoded values, which follow from the definition of the format.
  private final class StoredMatrix {
    var message = ck_stored_matrix()
    let stored: [UInt8]
    let scale: [Float], shift: [Float], table: [Float]
    let numbers: [Double]

    init(
      _ kind: ck_stored_kind, bits: Int, columns: Int, inner: Int, block: Int?,
      _ random: inout Numbers
    ) {
      func integer(_ limit: Int) -> Int { Int(abs(random.array(1)[0]) * 1e6) % limit }
      var bytes: [UInt8] = (0..<columns * inner * bits / 8).map { _ in UInt8(integer(256)) }
      if bits == 16 {
        // Replaces the exponents, so that no decoded value is large, infinite or NaN.
        for index in stride(from: 1, to: bytes.count, by: 2) {
          bytes[index] = bytes[index] & 0x83 | (kind == CK_STORED_FLOAT16 ? 0x38 : 0x3C)
        }
      }
      if bits == 32 {
        for index in stride(from: 3, to: bytes.count, by: 4) {
          bytes[index] = bytes[index] & 0x80 | 0x3E
        }
      }
      stored = bytes
      let groups: Int = (columns + 1) / 2
      let blocks: Int = block.map { groups * (inner / $0) } ?? 0
      scale = random.array(blocks)
      shift = random.array(blocks)
      table = kind == CK_STORED_PALETTE ? random.array(groups << bits) : []
      var numbers: [Double] = []
      for column in 0..<columns {
        for element in 0..<inner {
          let index: Int = column * inner + element
          var number: Double
          if bits == 32 {
            let raw: UInt32 = (0..<4).reduce(0) { $0 | UInt32(bytes[index * 4 + $1]) << (8 * $1) }
            number = Double(Float(bitPattern: raw))
          } else if bits == 16 {
            let raw = UInt16(stored[index * 2]) | UInt16(stored[index * 2 + 1]) << 8
            number =
              kind == CK_STORED_FLOAT16
              ? Double(Float16(bitPattern: raw)) : Double(Float(bitPattern: UInt32(raw) << 16))
          } else {
            var code = 0
            for bit in 0..<bits {
              let at: Int = index * bits + bit
              code |= Int(stored[at / 8] >> UInt8(at % 8) & 1) << bit
            }
            if kind == CK_STORED_SIGNED, code >> (bits - 1) == 1 { code -= 1 << bits }
            let entry: Int = ((column / 2) << bits) + code
            number = kind == CK_STORED_PALETTE ? Double(table[entry]) : Double(code)
          }
          if let block {
            let at: Int = column / 2 * (inner / block) + element / block
            number = number * Double(scale[at]) + Double(shift[at])
          }
          numbers.append(number)
        }
      }
      self.numbers = numbers
      message.kind = kind
      message.bits = Int32(bits)
      message.columns = Int64(columns)
      message.inner = Int64(inner)
      message.scale_columns = 2
      message.scale_inner = Int64(block ?? inner)
      message.table_columns = 2
    }

    func withMessage(_ body: (UnsafePointer<ck_stored_matrix>) -> Int32) -> Int32 {
      stored.withUnsafeBytes { stored in
        scale.withUnsafeBufferPointer { scale in
          shift.withUnsafeBufferPointer { shift in
            table.withUnsafeBufferPointer { table in
              message.elements = stored.baseAddress
              message.scale = scale.isEmpty ? nil : scale.baseAddress
              message.shift = shift.isEmpty ? nil : shift.baseAddress
              message.table = table.isEmpty ? nil : table.baseAddress
              return withUnsafePointer(to: message, body)
            }
          }
        }
      }
    }
  }

  @Test(
    "A product with a stored matrix matches the product with its decoded values",
    arguments: [0, 1, 2, 3] as [Int32],
    [
      (CK_STORED_FLOAT32, 32), (CK_STORED_FLOAT16, 16), (CK_STORED_BFLOAT16, 16),
      (CK_STORED_SIGNED, 8),
      (CK_STORED_SIGNED, 4), (CK_STORED_UNSIGNED, 8), (CK_STORED_UNSIGNED, 4),
      (CK_STORED_PALETTE, 1), (CK_STORED_PALETTE, 2), (CK_STORED_PALETTE, 3),
      (CK_STORED_PALETTE, 4), (CK_STORED_PALETTE, 6), (CK_STORED_PALETTE, 8),
    ] as [(ck_stored_kind, Int)])
  func storedProduct(instructions: Int32, stored: (kind: ck_stored_kind, bits: Int)) {
    ck_limit_instructions(instructions)
    defer { ck_limit_instructions(3) }
    var random = Numbers(seed: 5)
    for (rows, columns, inner, block) in [
      (1, 1, 8, nil), (3, 7, 40, 40), (5, 25, 96, 32), (9, 30, 1032, nil), (2, 50, 2080, 16),
      // One row has kernels of its own.
      (1, 50, 256, 32), (1, 3, 5376, 64), (1, 5, 384, 16), (1, 9, 896, nil), (1, 4, 512, 256),
      (1, 6, 144, 48),
      // So have many rows.
      (70, 67, 288, 32), (64, 16, 40, 40),
    ] as [(Int, Int, Int, Int?)] {
      let matrix = StoredMatrix(
        stored.kind, bits: stored.bits, columns: columns, inner: inner, block: block, &random)
      let source: [Float] = random.array(rows * inner)
      let bias: [Float] = random.array(columns)
      var made = [Float](repeating: .nan, count: rows * columns)
      var widened = [Float](repeating: .nan, count: columns * inner)
      #expect(
        matrix.withMessage {
          ck_stored_matmul($0, source, Int64(rows), bias, CK_LEAKY_RELU, 0.25, 0, &made)
        } == 0)
      #expect(matrix.withMessage { ck_stored_rows($0, 0, Int64(columns), &widened) } == 0)
      for (number, known) in zip(widened, matrix.numbers) {
        guard abs(Double(number) - known) <= 1e-5 * (1 + abs(known)) else {
          Issue.record("\(stored) \(inner): \(number) for \(known)")
          break
        }
      }
      for row in 0..<rows {
        for column in 0..<columns {
          var sum = Double(bias[column])
          var size: Double = 1
          for element in 0..<inner {
            let product: Double =
              Double(source[row * inner + element]) * matrix.numbers[column * inner + element]
            sum += product
            size += abs(product)
          }
          let known: Double = sum < 0 ? sum / 4 : sum
          #expect(abs(Double(made[row * columns + column]) - known) <= 1e-5 * size)
        }
      }
    }
  }

  @Test(
    "Panels of a stored matrix round to float16 and add a residual",
    arguments: [0, 1, 2, 3] as [Int32])
  func storedPanels(instructions: Int32) {
    ck_limit_instructions(instructions)
    defer { ck_limit_instructions(3) }
    var random = Numbers(seed: 6)
    let (rows, columns, inner) = (19, 70, 64)
    let matrix = StoredMatrix(
      CK_STORED_SIGNED, bits: 4, columns: columns, inner: inner, block: 32, &random)
    let source: [Float] = random.array(rows * inner)
    let bias: [Float] = random.array(columns)
    let residual: [Float] = random.array(rows * columns)
    var made: [Float] = residual
    let status: Int32 = matrix.withMessage { message in
      made.withUnsafeMutableBufferPointer {
        ck_stored_panels(
          message, source, Int64(rows), bias, $0.baseAddress, CK_RELU, 0, 0, 1, $0.baseAddress)
      }
    }
    #expect(status == 0)
    for row in 0..<rows {
      for column in 0..<columns {
        var sum = Double(bias[column])
        for element in 0..<inner {
          sum += Double(source[row * inner + element]) * matrix.numbers[column * inner + element]
        }
        let total = Float16(Float(Float16(sum)) + residual[row * columns + column])
        let number: Float = made[row * columns + column]
        #expect(number == Float(Float16(number)))
        #expect(abs(Double(number) - max(0, Double(total))) <= 2e-3 * (1 + abs(sum)))
      }
    }
    #expect(
      matrix.withMessage { ck_stored_panels($0, source, 1, bias, nil, CK_RELU, 0, 0, 1, &made) }
        == -1)
  }

  @Test("A stored matrix with an inconsistent description is declined")
  func badStoredMatrix() {
    var random = Numbers(seed: 6)
    let matrix = StoredMatrix(
      CK_STORED_SIGNED, bits: 4, columns: 4, inner: 32, block: 16, &random)
    #expect(matrix.withMessage { ck_stored_is_valid($0) } == 1)
    matrix.message.bits = 5
    #expect(matrix.withMessage { ck_stored_is_valid($0) } == 0)
    matrix.message.bits = 4
    matrix.message.inner = 33
    #expect(matrix.withMessage { ck_stored_is_valid($0) } == 0)
    matrix.message.inner = 32
    matrix.message.scale_inner = 24
    #expect(matrix.withMessage { ck_stored_is_valid($0) } == 0)
  }
}
