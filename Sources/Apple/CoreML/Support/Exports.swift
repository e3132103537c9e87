// Apple's CoreML brings these along, so that files which import only CoreML see their types.
@_exported import CoreGraphics
@_exported import CoreImage
@_exported import CoreVideo
@_exported import Foundation
@_exported import ImageIO
