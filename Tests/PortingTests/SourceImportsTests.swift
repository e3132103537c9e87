import Testing

@testable import Porting

struct SourceImportsTests {
  @Test("Imports are found after attributes, access levels and kinds of declarations")
  func forms() {
    let imports = SourceImports(
      source: """
        @preconcurrency import CoreML; import Vision
        public import struct Foundation.URL
          @testable @_spi(Inner) import Mine
        import CoreImage.CIFilterBuiltins
        importantFunction()
        let import_ = 1
        """)
    #expect(imports.always == ["CoreML", "Vision", "Foundation", "Mine", "CoreImage"])
    #expect(imports.conditional.isEmpty)
  }

  @Test("Imports inside of #if are conditional, and those in comments and texts are none")
  func conditions() {
    let imports = SourceImports(
      source: """
        // import Commented
        /* import Closed */
        /*
        import Inside
        */
        #if canImport(UIKit)
          import UIKit
          #if DEBUG
          import os
          #endif
        #endif
        import Foundation
        let text = \"\"\"
        import Nothing
        \"\"\"
        """)
    #expect(imports.always == ["Foundation"])
    #expect(imports.conditional == ["UIKit", "os"])
  }
}
