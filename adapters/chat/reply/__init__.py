"""An answer taken apart once into parts that each platform only has to write down."""
